/** The name of the key that shortcuts begin with on this machine. */
export const MOD = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘' : 'Ctrl'
