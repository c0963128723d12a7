/** The name of the field of the composer, whose keys decide requests while it is empty. */
export const COMPOSER_FIELD = 'message'
