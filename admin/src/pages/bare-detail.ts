/** What the server says of an error or a status, without the English word in front: `ValidationError (400)`, `404`. */
export const bareDetail = (detail: string): string => detail.replace(/^(throws|status) /, '');
