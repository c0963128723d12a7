/** Loads the library that encrypts and signs messages; few servers need it when they start. */
export const loadWebPush = async () => (await import('web-push')).default
