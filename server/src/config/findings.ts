import { formatOptionPath, type OptionPath } from './configuration-error';
import { warning, type Warning, type WarningCode } from './warning';

/** Collects problems and warnings while the configuration is resolved. Problems stop the boot, warnings do not. */
export class Findings {
  readonly problems: string[] = [];
  readonly warnings: Warning[] = [];

  /** @param text continues the sentence that begins with the path `where`. */
  problem(where: OptionPath, text: string): void {
    this.problems.push(formatOptionPath(where) + text);
  }

  warn(code: WarningCode, text: string): void {
    this.warnings.push(warning(code, text));
  }
}
