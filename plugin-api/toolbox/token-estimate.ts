/** The estimate of the characters per token, if no upstream has counted. */
export const CHARACTERS_PER_TOKEN = 3

/** The estimate of the tokens of an image, about what upstreams count. */
export const IMAGE_TOKENS = 1500
