// Owns knowledge bases, their documents and the index of passages. The index is made from the documents, so it can be made
// again; everything else is in the database and in files below the home.
import {
  createGuardedFetch,
  createShareable,
  definePlugin,
  type GuardedFetch,
  grantRoutes,
  listNames,
} from '#plugin-api'
import { type Addresses, createAddresses } from './addresses.ts'
import { baseRoutes } from './base-routes.ts'
import { type Bases, baseIndexes, createBases } from './bases.ts'
import { type Changes, createChanges } from './changes.ts'
import { createDocumentFiles, type DocumentFiles } from './document-files.ts'
import { documentRoutes } from './document-routes.ts'
import { createDocuments, type Documents, documentIndexes } from './documents.ts'
import { manifest } from './manifest.ts'
import { type Cutter, createCutter } from './passages/cutter.ts'
import { createRemoval, type Removal } from './removal.ts'
import { createEmbedder, createSearch, type Embedder, type Search } from './search.ts'

import { searchRoutes } from './search-routes.ts'
import { createSearchTool } from './search-tool.ts'
import { createKnowledgeSettings, type KnowledgeSettings } from './settings.ts'
import { settingsRoutes } from './settings-routes.ts'
import { createPassageIndex, type PassageIndex } from './store/passage-index.ts'
import { createTableLock, type TableLock } from './store/table-lock.ts'
import type { BaseDocument } from './types.ts'
import { createIndexing, type Indexing } from './work/indexing.ts'
import { createQueue, type Queue } from './work/queue.ts'
import { createRebuilding, type Rebuilding } from './work/rebuilding.ts'
import { createRefetching, type Refetching } from './work/refetching.ts'
import { createRuns, type Runs } from './work/runs.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    knowledge: {
      addresses: Addresses
      bases: Bases
      changes: Changes
      connection: GuardedFetch
      cutter: Cutter
      documentFiles: DocumentFiles
      documents: Documents
      embedder: Embedder
      indexing: Indexing
      passageIndex: PassageIndex
      queue: Queue
      rebuilding: Rebuilding
      refetching: Refetching
      removal: Removal
      runs: Runs
      search: Search
      settings: KnowledgeSettings
      tableLock: TableLock
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('knowledge_bases', { indexes: baseIndexes })
    host.collection('knowledge_documents', { indexes: documentIndexes })
    host.collection('knowledge_settings')
    host.collection('knowledge_runs')
    host.collection('knowledge_leases')
    host.service('connection', ({ config }) => createGuardedFetch({ allowHosts: config.allow_hosts }))
    host.service('addresses', createAddresses)
    host.service('bases', createBases)
    host.service('changes', createChanges)
    host.service('cutter', createCutter)
    host.service('documentFiles', createDocumentFiles)
    host.service('documents', createDocuments)
    host.service('embedder', createEmbedder)
    host.service('indexing', createIndexing)
    host.service('passageIndex', ({ config, log, server }) =>
      createPassageIndex({
        ...{ config, log, server },
        // Found when they are used: `svc doctor` opens an index without a database.
        lock: { run: (table, work) => host.cradle.tableLock.run(table, work) },
        noteRemoval: () => host.cradle.settings.noteRemoval(),
      }),
    )
    host.service('queue', createQueue)
    host.service('rebuilding', createRebuilding)
    host.service('refetching', createRefetching)
    host.service('removal', createRemoval)
    host.service('runs', createRuns)
    host.service('search', createSearch)
    host.service('settings', createKnowledgeSettings)
    host.service('tableLock', createTableLock)
    host.limit('knowledge_bases', ({ bases }, user_id) => bases.count(user_id))
    host.limit('knowledge_bytes', ({ documents }, user_id) => documents.sumBytes(user_id))
    host.routes([...searchRoutes, ...settingsRoutes, ...baseRoutes, ...documentRoutes])
    host.routes(
      grantRoutes({
        kind: 'knowledge_base',
        path: '/knowledge-bases/:id',
        title: 'KnowledgeBase',
        noun: 'a knowledge base',
        missing: 'KNOWLEDGE_BASE_NOT_FOUND',
      }),
    )
    host.extend(
      'agents.tools',
      createSearchTool(() => host.cradle),
    )
    host.extend('agents.knowledge_checks', async ({ user_id, knowledge_base_ids: chosen }, { bases }) => {
      const readable = await bases.listReadableBy(user_id, chosen)
      if (readable.length < chosen.length) throw host.error('KNOWLEDGE_BASE_NOT_FOUND')
    })
    host.extend('agents.knowledge_defaults', ({ user_id }, { bases }) => bases.listDefault(user_id))
    host.extend('providers.references', async ({ name, scope }, { settings }) => {
      const { active, next } = await settings.recent()
      const used = [active, next].some((index) => index?.embedding_model?.startsWith(`${name}:`))
      return scope === 'global' && used ? { knowledge_settings: true } : {}
    })
    host.extend('audit.names', async ({ ids }, { collections }) => [
      ...(await listNames(collections.knowledge_bases, ids, { kind: 'knowledge_base', field: 'name' })),
      ...(await listNames(collections.knowledge_documents, ids, {
        kind: 'knowledge_document',
        field: 'path',
      })),
    ])
    host.extend('overview.counts', async (_, { documents }) => ({
      bytes: { documents: await documents.sumAllBytes() },
    }))
    host.extend('users.removal', ({ user_id }, { removal }) => removal.removeBases({ user_id }))
    host.extend(
      'groups.shareables',
      createShareable<BaseDocument>({
        name: 'knowledge_base',
        label: { en: 'Knowledge base', zh: '知识库' },
        access: ['use', 'edit'],
        is_open: false,
        collection: () => host.cradle.collections.knowledge_bases,
        owner: 'user_id',
        nameOf: ({ name }) => name,
        find: (caller, key) => host.cradle.bases.findShareable(caller, key),
        changed: (former, current) => host.cradle.bases.noteChange(former, current),
      }),
    )
    host.job({
      name: 'knowledge.refetch',
      every_seconds: 60,
      run: ({ refetching }, signal) => refetching.fetchDue(signal),
    })
    host.job({ name: 'knowledge.removal', every_seconds: 300, run: ({ removal }) => removal.finish() })
    host.job({
      name: 'knowledge.purge',
      every_seconds: 60,
      run: ({ removal }, signal) => removal.purge(signal),
    })
    host.health(({ passageIndex }) => {
      if (passageIndex.failure) throw passageIndex.failure
    })
    host.check('knowledge index', async ({ passageIndex }) => {
      await passageIndex.check()
      return 'LanceDB runs'
    })
  },
  ready({ passageIndex, queue }) {
    passageIndex.noteMissing()
    queue.begin()
  },
  async stop({ queue, cutter, passageIndex, tableLock, connection }) {
    await queue.end()
    tableLock.end()
    await Promise.all([cutter.end(), passageIndex.close(), connection.close()])
  },
})
