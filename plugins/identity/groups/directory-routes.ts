import type { Route } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import { directoryQuery, directoryRows, directorySettings } from './schemas.ts'

const searchDirectory = route({
  method: 'GET',
  path: '/directory',
  operation_id: 'searchDirectory',
  summary: 'Search people and groups',
  description:
    'Lists people and groups with whom the caller may share: groups first, then people by username. Without `q`, the first ones.',
  guard: 'user',
  query: directoryQuery,
  response: { 200: directoryRows },
}).handle(({ caller, query }, { directory }) => directory.search(caller, query))

const readSettings = route({
  method: 'GET',
  path: '/directory/settings',
  operation_id: 'getDirectorySettings',
  summary: 'Get with whom you may share',
  description: 'Tells with whom the caller may share. Administrators may share with everyone.',
  guard: 'user',
  response: { 200: directorySettings },
}).handle(({ caller }, { directory }) => ({ sharing: directory.sharingOf(caller) }))

/** The routes of the people and groups to choose from. */
export const directoryRoutes: Route<Cradle>[] = [searchDirectory, readSettings]
