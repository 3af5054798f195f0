import hooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: ['**/dist/', '**/build/', '**/node_modules/', 'playground/.tmp/', 'playground/types/', 'docs/.vitepress/'],
  },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      // Allowed with its reason beside it, which no rule can check.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'off',
    },
  },
  { files: ['scripts/**', '*.mjs', 'tests/**'], languageOptions: { globals: globals.node } },
  {
    // Plain JavaScript, as an application that never heard of TypeScript.
    files: ['tests/applications/**/*.js'],
    languageOptions: { sourceType: 'commonjs' },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  { files: ['admin/**/*.{ts,tsx}'], ...hooks.configs.flat.recommended },
);
