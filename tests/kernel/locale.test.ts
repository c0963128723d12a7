import { deferSchema, languageTag, nearestLocale } from '../../kernel/index.ts'
import t from '../run/file-test.ts'

t.test('a language tag is stored as the nearest supported language', (t) => {
  const cases = {
    zh: [
      'zh',
      'zh-CN',
      'zh-Hant-TW',
      'ZH-hk',
      'yue',
      'cmn-Hans',
      'zh-Latn-pinyin',
      'und-Hant',
      'zh-u-nu-hansidec',
    ],
    en: ['en', 'en-US', 'EN-gb', 'de-CH-1996', 'pt-BR', 'ja', 'ko-KR', 'sr-Cyrl', 'und', 'tlh'],
  }
  for (const [locale, tags] of Object.entries(cases))
    for (const tag of tags) t.equal(nearestLocale(tag), locale, tag)
  t.end()
})

t.test('an invalid language tag is refused', (t) => {
  const check = deferSchema({ type: 'object', properties: { locale: languageTag } }, 'json')
  for (const locale of [
    '',
    'x',
    'en_US',
    'english please',
    'en-',
    '-en',
    'zh--CN',
    'a'.repeat(65),
    'en\n',
    '\0',
  ])
    t.throws(() => check({ locale }), { code: 'VALIDATION_FAILED' }, locale)
  t.doesNotThrow(() => check({ locale: 'fr-CA' }))
  t.end()
})
