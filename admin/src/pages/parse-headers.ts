/** Parses `Name: value` lines; `undefined` if there is another line that is not blank. */
export const parseHeaders = (text: string): Record<string, string> | undefined => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const fields = lines.map((line) => line.split(/:(.*)/s).map((part) => part.trim()));
  return fields.every(([name, value]) => name !== '' && value !== undefined)
    ? Object.fromEntries(fields.map(([name, value]) => [name, value] as [string, string]))
    : undefined;
};
