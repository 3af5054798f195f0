/** In which the cached application answers. */
export type Lane = 'front' | 'router' | 'inner';
