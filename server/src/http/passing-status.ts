/** Whether a status tells of the moment, not of what was asked for: the server's failures and too many requests. */
export const isPassingStatus = (status: number): boolean => status >= 500 || status === 429;
