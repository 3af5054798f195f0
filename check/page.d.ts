/** The text of a page of the documentation, put into the bundle by Vite (`?raw`). */
declare module '*.md?raw' {
  const text: string;
  export default text;
}
