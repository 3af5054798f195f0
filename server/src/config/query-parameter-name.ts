/**
 * What to write instead of a name that no query parameter can have, `undefined` for one that it can: parameters are known
 * by what stands in front of `[`, and none of these characters reaches a name as it is.
 */
export const unmatchableParameter = (name: string): string | undefined => {
  const [base = ''] = name.split('[', 1);
  if (/[[\]]/.test(name)) {
    return /^[^[\]?&=#%\s]+$/.test(base)
      ? `a parameter's name without brackets: write ${JSON.stringify(base)}, which stands for everything in ${base}[…]`
      : 'the name of a query parameter, without brackets, such as "filters"';
  }
  return /[?&=#%\s]/.test(name)
    ? 'the name of one query parameter as it is after decoding, without "?", "&", "=", "#", "%" and spaces, such as "locale"'
    : undefined;
};
