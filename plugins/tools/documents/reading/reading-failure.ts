/** The reasons for which a document cannot be read. */
export type ReadingProblem =
  | 'DOCUMENT_ENCRYPTED'
  | 'DOCUMENT_DAMAGED'
  | 'DOCUMENT_EMPTY'
  | 'DOCUMENT_TOO_LARGE'
  | 'DOCUMENT_TIMEOUT'

/** Thrown if a document cannot be read, however often it is tried. */
export class ReadingFailure extends Error {
  readonly problem: ReadingProblem

  constructor(problem: ReadingProblem, options?: ErrorOptions) {
    super(problem, options)
    this.problem = problem
  }
}

/** The complaints of V8 about too much depth or memory. */
const EXCESS = /call stack|allocation failed|Invalid (array|string|typed array) length/

/** Returns the problem of a document that a reader failed on: damage, unless the reader says something else. */
export function findProblem(error: unknown): ReadingProblem {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RangeError && EXCESS.test(cause.message)) return 'DOCUMENT_TOO_LARGE'
  return error instanceof ReadingFailure ? error.problem : 'DOCUMENT_DAMAGED'
}
