import { IntlMessageFormat } from 'intl-messageformat';

/** The names of all values in a text, at any depth. */
export const argumentsOf = (text: string, language: string): string[] => {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    else if (typeof node === 'object' && node !== null) {
      const { type, value } = node as { type?: number; value?: unknown };
      // Literals and `#` have no name (@formatjs/icu-messageformat-parser, TYPE).
      if (typeof value === 'string' && type !== undefined && type !== 0) names.add(value);
      Object.values(node).forEach(visit);
    }
  };
  visit(new IntlMessageFormat(text, language).getAst());
  return [...names].sort();
};
