interface ImportMeta {
  /** The text of each of these files by its path, put into the bundle by Vite. */
  glob(pattern: string, options: { query: '?raw'; import: 'default'; eager: true }): Record<string, string | undefined>;
}
