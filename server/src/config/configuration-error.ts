/** The configuration cannot be used. One message that lists everything that is wrong with it. */
export class ConfigurationError extends Error {
  /** One sentence each, beginning with the option's path. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super([`The configuration of "rest-cache" in config/plugins has ${count}:`, ...problems].join('\n  - '));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}
