import { useQuery } from '@tanstack/react-query'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { readFailure } from '../server/failure.ts'
import { queries } from '../server/queries.ts'
import { ifMatch, sendTagged } from '../server/send.ts'

type Schemas = components['schemas']
export type WebSearchSettings = Schemas['WebSearchSettings']
export type SearchEngine = Schemas['SearchEngineSettings']
export type SearchEngineKind = Schemas['SearchEngineKind']

/** The settings with the tag of their version. */
export interface StoredSettings {
  data: WebSearchSettings
  tag: string | null
}

const PATH = '/admin/web-search'
const KEY = ['tagged', PATH]

/** Reads the settings of web search. */
export const useWebSearch = () =>
  useQuery({ queryKey: KEY, queryFn: () => sendTagged(client.GET(PATH)), staleTime: 0 })

/** Stores changed settings. Throws a sentence if somebody else has changed them; the page then has the new ones. */
export async function saveWebSearch({ data, tag }: StoredSettings, changes: Partial<WebSearchSettings>) {
  const init = { params: { header: ifMatch(tag) }, body: { ...data, ...changes } }
  try {
    queries.setQueryData(KEY, await sendTagged(client.PUT(PATH, init)))
  } catch (error) {
    const { code } = readFailure(error)
    if (code !== 'PRECONDITION_FAILED') throw error
    await queries.invalidateQueries({ queryKey: KEY })
    throw { code, message: t('web-search.conflict') }
  }
}
