import { formatOptionPath, type OptionPath } from './configuration-error';
import { warning, type Warning, type WarningCode } from './warning';

/** What is found while the configuration is resolved, one sentence each: problems stop the boot, warnings do not. */
export class Findings {
  readonly problems: string[] = [];
  readonly warnings: Warning[] = [];
  /** Those of the warnings that callers may be harmed by. */
  readonly unsafe: Warning[] = [];

  /** @param text goes on where `where` ends. */
  problem(where: OptionPath, text: string): void {
    this.problems.push(formatOptionPath(where) + text);
  }

  warn(code: WarningCode, text: string): void {
    this.warnings.push(warning(code, text));
  }

  warnOfHarm(code: WarningCode, text: string): void {
    const told = warning(code, text);
    this.warnings.push(told);
    this.unsafe.push(told);
  }
}
