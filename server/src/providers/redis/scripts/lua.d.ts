/** The text of a Lua script, put into the bundle by Vite (`?raw`). */
declare module '*.lua?raw' {
  const text: string;
  export default text;
}
