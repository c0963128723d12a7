/** Languages that messages to people are written in. */
export const LOCALES = ['en', 'zh'] as const

/** One of the supported languages. */
export type Locale = (typeof LOCALES)[number]

/** One text in each supported language. */
export type LocalizedText = Record<Locale, string>

/** The JSON Schema of a LocalizedText. */
export const localizedText = {
  title: 'LocalizedText',
  type: 'object',
  properties: {
    en: { type: 'string', examples: ['Data analyst'] },
    zh: { type: 'string', examples: ['数据分析师'] },
  },
  required: ['en', 'zh'],
  additionalProperties: false,
} as const

/** The JSON Schema of a Locale. */
export const localeName = { title: 'Locale', enum: LOCALES } as const

/** The JSON Schema of a language tag (BCP 47), such as `zh-CN` or `pt-BR`. */
export const languageTag = {
  type: 'string',
  format: 'bcp47',
  maxLength: 64,
  description: 'A language tag such as zh-CN; stored as the nearest language that messages are written in',
  examples: ['en'],
} as const

/** True for a well-formed language tag. */
export function isLanguageTag(text: string): boolean {
  try {
    new Intl.Locale(text)
    return true
  } catch {
    return false
  }
}

/** Returns the supported language nearest to a well-formed tag: Chinese for all that is written in its script, else English. */
export function nearestLocale(tag: string): Locale {
  const { language, script } = new Intl.Locale(tag).maximize()
  return language === 'zh' || script === 'Hans' || script === 'Hant' ? 'zh' : 'en'
}

/**
 * The language to answer in: the best of an `Accept-Language` header that we have, else the user's own,
 * else English.
 */
export function chooseLocale(acceptLanguage: string | undefined, userLocale?: string | null): Locale {
  const preferences = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const quality = parameters.map((parameter) => /^\s*q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean)
      return { language: tag.split('-')[0], quality: Number(quality ?? 1) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
  const findLocale = (language: string | null | undefined) => LOCALES.find((locale) => locale === language)
  for (const { language } of preferences) {
    const locale = findLocale(language)
    if (locale) return locale
  }
  return findLocale(userLocale) ?? 'en'
}
