/** A refusal of the platform. */
export class FakeRefusal extends Error {
  readonly status: number
  readonly code: number

  constructor(code: number, message: string, status = 400) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Refuses with a code unless a condition holds. */
export function must(condition: unknown, code: number, message: string): asserts condition {
  if (!condition) throw new FakeRefusal(code, message)
}
