/** The reasons for which a document cannot be read. */
export type ReadingProblem =
  | 'DOCUMENT_ENCRYPTED'
  | 'DOCUMENT_DAMAGED'
  | 'DOCUMENT_EMPTY'
  | 'DOCUMENT_TOO_LARGE'
  | 'DOCUMENT_TIMEOUT'
  | 'DOCUMENT_UNSUPPORTED'

/** Thrown if a document cannot be read, however often it is tried. */
export class ReadingFailure extends Error {
  readonly problem: ReadingProblem

  constructor(problem: ReadingProblem, options?: ErrorOptions) {
    super(problem, options)
    this.problem = problem
  }
}
