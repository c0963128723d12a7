import type { Expert } from '#plugin-api'

/** What a bundled expert says of itself; its files stand beside it, in `files/en` and `files/zh`. */
export type Manifest = Omit<Expert, 'files'>
