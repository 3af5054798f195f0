/** The lane in which the cached application answers. `repeatable` is the front lane with the option `repeatable`. */
export type Lane = 'front' | 'route' | 'repeatable';
