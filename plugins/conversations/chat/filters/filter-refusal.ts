import { AppError, type ErrorCode, type Locale, type LocalizedText } from '#plugin-api'

/**
 * The refusal of a filter. Its code is the filter's own, so that no error table contains it; the log never contains its
 * sentence.
 */
export class FilterRefusal extends AppError {
  readonly #sentence: LocalizedText

  constructor(filter: string, { code, message }: { code: string; message: LocalizedText }) {
    super(code as ErrorCode, { filter })
    this.name = 'FilterRefusal'
    this.#sentence = message
  }

  static override [Symbol.hasInstance](value: unknown): value is FilterRefusal {
    return typeof value === 'object' && value !== null && #sentence in value
  }

  /** The reason in the languages of people. */
  get sentence(): LocalizedText {
    return this.#sentence
  }
}

/** Returns the body of the refusal of a filter; undefined for other errors. */
export const explainRefusal = (error: unknown, locale: Locale) =>
  error instanceof FilterRefusal
    ? { code: error.code as string, message: error.sentence[locale], details: error.details }
    : undefined
