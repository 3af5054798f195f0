/** In which the cached application answers; in front with the word that its routes' functions are repeatable. */
export type Lane = 'front' | 'router' | 'inner' | 'repeatable';
