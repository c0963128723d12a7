import { useSuspenseQuery } from '@tanstack/react-query'
import type { components } from '#client'
import { api } from './client.ts'
import { queries } from './queries.ts'

/** The facts of the server that depend on nobody's account, such as the plugins that run. */
export type ServerFacts = components['schemas']['ConsoleFacts']

const query = api.queryOptions('get', '/console', {}, { staleTime: Number.POSITIVE_INFINITY })

/** Reads the facts of the server. Does not throw: the page that needs them shows the failure. */
export const prefetchFacts = (): Promise<void> => queries.prefetchQuery(query)

/** Returns the facts of the server, outside of components. */
export const readFacts = (): Promise<ServerFacts> => queries.ensureQueryData(query)

/** Returns the facts of the server. */
export const useFacts = (): ServerFacts => useSuspenseQuery(query).data
