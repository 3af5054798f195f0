import hooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** What TypeScript knows the types of. */
const TYPED = [
  'server/src/**/*.ts',
  'provider-suite/*.ts',
  'check/*.ts',
  'admin/src/**/*.{ts,tsx}',
  'tests/**/*.{ts,mts}',
];

export default tseslint.config(
  {
    ignores: ['**/dist/', '**/build/', '**/node_modules/', 'playground/.tmp/', 'playground/types/', 'docs/.vitepress/'],
  },
  ...tseslint.configs.recommended,
  {
    files: TYPED,
    // An application of its own, with types of its own.
    ignores: ['tests/package/application/**'],
    extends: [tseslint.configs.recommendedTypeCheckedOnly],
    languageOptions: {
      parserOptions: {
        project: ['server', 'admin', 'tests', 'tests/types'].map((folder) => `${folder}/tsconfig.json`),
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // What is wrapped or compared here are methods, and they are called with their own objects.
      '@typescript-eslint/unbound-method': 'off',
      // A handler may be asynchronous wherever React or Strapi takes one; what it rejects with is shown or logged.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
    },
  },
  {
    files: ['tests/**'],
    rules: {
      // Answers and doubles come as they are; an assertion tells what was wrong with one.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
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
