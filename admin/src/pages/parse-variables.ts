/** The variables of a GraphQL operation, from JSON; none if the text is blank, `undefined` if it is no JSON object. */
export const parseVariables = (text: string): Record<string, unknown> | undefined => {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};
