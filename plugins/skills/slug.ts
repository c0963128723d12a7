import { AppError } from '#kernel'

/** The rule for slugs, which are names of folders. */
export const SLUG_PATTERN = '^[a-z0-9][a-z0-9_-]{0,63}$'

const SLUG = new RegExp(SLUG_PATTERN)

export const isSlug = (text: string): boolean => SLUG.test(text)

/** Returns the slug of a path at which a skill is made; throws VALIDATION_FAILED. */
export function assertSlug(slug: string): string {
  if (isSlug(slug)) return slug
  const issue = { path: '/slug', rule: 'pattern', message: `must match pattern "${SLUG_PATTERN}"` }
  throw new AppError('VALIDATION_FAILED', { issues: [issue] })
}
