import { AppError } from '#kernel'

/** Throws VALIDATION_FAILED unless `redirect_after` is the path of a page of the console, however a browser decodes it. */
export function assertOwnPage(path: string): void {
  if (isPath(path) && isPath(decode(path.split(/[?#]/)[0]!))) return
  const issue = {
    path: '/redirect_after',
    rule: 'path',
    message: 'must be a path that starts with a single "/"',
  }
  throw new AppError('VALIDATION_FAILED', { issues: [issue] })
}

const ANY_ORIGIN = 'https://console.invalid'

function isPath(text: string): boolean {
  if (!/^\/[^\\\p{Cc}]*$/u.test(text) || !URL.canParse(text, ANY_ORIGIN)) return false
  const { origin, pathname } = new URL(text, ANY_ORIGIN)
  return origin === ANY_ORIGIN && !pathname.startsWith('//')
}

/** Decodes a path; returns an empty text, which is not a path, if that is impossible. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Readers may disagree on bytes that are not UTF-8.
    return ''
  }
}
