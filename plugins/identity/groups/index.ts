// Owns the groups, whose members accounts name themselves, and the rules of sharing. Things that are shared keep their own
// grants; their plugins describe them at `groups.shareables`.
import { createDeclarable, definePlugin, managedIndex, type Shareable } from '#plugin-api'
import { accessRoutes } from './access.ts'
import { groupCommands } from './commands.ts'
import { createDirectory, type Directory } from './directory.ts'
import { directoryRoutes } from './directory-routes.ts'
import { createGroupRules, type GroupRules } from './group-rules.ts'
import { createGroups, type Groups, toKey } from './groups.ts'
import { manifest } from './manifest.ts'
import { groupRoutes } from './routes.ts'
import { createSharing, type Sharing } from './sharing.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    groups: {
      groups: Groups
      groupRules: GroupRules
      sharing: Sharing
      directory: Directory
    }
  }
  interface ExtensionPoints {
    /** Kinds of things that their owners share with people and groups. */
    'groups.shareables': Shareable
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('groups', {
      indexes: [
        { key: { name_key: 1 }, unique: true },
        managedIndex,
        { key: { is_default: 1 }, partialFilterExpression: { is_default: true } },
      ],
    })
    host.extensionPoint('groups.shareables', { noun: 'kind of shared things', nameOf: ({ name }) => name })
    host.service('groups', createGroups)
    host.service('groupRules', createGroupRules)
    host.service('sharing', createSharing)
    host.service('directory', createDirectory)
    host.routes([...groupRoutes, ...directoryRoutes, ...accessRoutes])
    host.extend(
      'declared.kinds',
      createDeclarable({
        name: 'group',
        collection: () => host.cradle.collections.groups,
        filterOf: (key) => ({ $or: [{ _id: key }, { name_key: toKey(key) }] }),
      }),
    )
    for (const command of groupCommands) host.command(command)
    host.extend('users.groups', ({ ids }, { groups }) => groups.listRecent(ids))
    host.extend('users.first_groups', (_, { groups }) => groups.listFirst())
    host.extend('users.named_groups', ({ names }, { groups }) => groups.findNamed(names))
    host.extend('users.sharing', ({ sharer, with: grantees }, { sharing }) =>
      sharing.assertAllowed(sharer, grantees),
    )
    host.extend('users.grants', ({ caller, kind, key, entries }, { sharing }) =>
      entries ? sharing.replace(caller, kind, key, entries) : sharing.read(caller, kind, key),
    )
    host.extend('users.removal', ({ user_id }, { sharing }) => sharing.forget(`user:${user_id}`))
  },
  start: ({ groups }) => groups.ensureFirst(),
})
