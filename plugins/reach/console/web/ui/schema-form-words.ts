import { language } from '../i18n/language.ts'
import { findWord } from '../i18n/words.ts'
import type { Schema } from './schema-form-schema.ts'

/** The texts of a field in the language of the page, from the console or else from the schema. */
export function readFieldWords(of: string, name: string, schema: Schema) {
  const find = (suffix: string) =>
    findWord(`fields.${of}_${name}${suffix}`) ?? findWord(`fields.${name}${suffix}`)
  const label = find('')
  return {
    label: label ?? schema.title ?? humanize(name),
    // A text of the schema would be in English below a label that is not.
    help: find('__help') ?? (label === undefined || language === 'en' ? schema.description : undefined),
    /** The name of a value that can be chosen. */
    nameOf: (value: unknown) =>
      find(`__${value}`) ?? findWord(`fields.value__${value}`) ?? humanize(String(value)),
  }
}

/** A name of the API as words: `api_version` becomes "Api version". */
const humanize = (name: string) => {
  const words = name.replaceAll(/[_-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
