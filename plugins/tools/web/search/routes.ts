import { AppError, type Locale, replyWithTag } from '#plugin-api'
import { type Cradle, route } from '../manifest.ts'
import { engineKindRow, newSearchSettings, searchSettings, searchTest, searchTestReply } from './schemas.ts'

const PATH = '/admin/web-search'

/** The results of a test. */
const TEST_COUNT = 5

const showSettings = async (locale: Locale, { searchSettings: settings }: Pick<Cradle, 'searchSettings'>) => {
  const { row, tag } = await settings.show(locale)
  return replyWithTag(200, row, tag)
}

/** The routes of web search. */
export const searchRoutes = [
  route({
    method: 'GET',
    path: PATH,
    operation_id: 'getWebSearch',
    summary: 'Get the settings of web search',
    description:
      'Returns the search engines in the order in which they are asked, with masked secrets, and the limit of searches.',
    guard: 'admin',
    response: { 200: searchSettings },
    etag: true,
  }).handle(({ locale }, cradle) => showSettings(locale, cradle)),

  route({
    method: 'PUT',
    path: PATH,
    operation_id: 'setWebSearch',
    summary: 'Replace the settings of web search',
    description:
      'Sets the search engines in the order in which they are asked: the next one is asked if one fails or does not answer in time. Agents have the tool `web_search` while there is at least one. All server processes follow within about a second. An address may be in a private network, since an administrator enters it. A secret that was entered for another address must be sent again.',
    guard: 'admin',
    body: newSearchSettings,
    response: { 200: searchSettings },
    errors: ['SEARCH_ENGINE_UNSUPPORTED'],
    etag: true,
    audit: 'web_search.set',
  }).handle(async (request, cradle) => {
    await cradle.searchSettings.replace(request.body, request)
    return showSettings(request.locale, cradle)
  }),

  route({
    method: 'GET',
    path: `${PATH}/kinds`,
    operation_id: 'listSearchEngineKinds',
    summary: 'List the kinds of search engines',
    description:
      'Lists the search engines that are built in and those of plugins, with the JSON Schema of their settings. Fields that a schema marks `writeOnly` are secrets.',
    guard: 'admin',
    response: { 200: { type: 'array', items: engineKindRow } },
  }).handle(({ locale }, { engineKinds }) => engineKinds.list(locale)),

  route({
    method: 'POST',
    path: `${PATH}/test`,
    operation_id: 'testWebSearch',
    summary: 'Test web search',
    description:
      'Searches with the stored settings: with `kind` only this engine, otherwise as agents do. The search counts against no limit and no budget. If it fails, `details.guidance` of `WEB_SEARCH_FAILED` says in the language of the request how to repair it, and `details.failures` has the reason, the status and the words of each engine.',
    guard: 'admin',
    body: searchTest,
    response: { 200: searchTestReply },
    errors: ['WEB_SEARCH_NOT_SET', 'WEB_SEARCH_FAILED'],
    audit: { none: 'It searches and stores nothing.' },
  }).handle(async ({ body: { query, kind }, locale }, { searchSettings: settings, webSearches }) => {
    const { engines } = await settings.open()
    const chosenEngines = engines.filter(({ engine }) => kind === undefined || engine.name === kind)
    if (chosenEngines.length === 0) throw new AppError('WEB_SEARCH_NOT_SET')
    return webSearches.search(chosenEngines, { text: query, count: TEST_COUNT, locale })
  }),
]
