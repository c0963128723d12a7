// Owns the hashes of what `svc apply` has applied. The notes themselves are in the documents of other plugins, whose kinds
// are registered at `declared.kinds`.
import { definePlugin } from '#plugin-api'
import { applyCommand } from './apply-command.ts'
import { exportCommand } from './export-command.ts'
import { createManagedObjects, type ManagedObjects } from './managed-objects.ts'
import { manifest } from './manifest.ts'
import { managedRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    declared: {
      managedObjects: ManagedObjects
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('applied_contents', { sealed: { digest: 'applied:{_id}' } })
    host.collection('apply_leases')
    host.extensionPoint('declared.kinds', { noun: 'kind of declared objects', nameOf: ({ name }) => name })
    host.service('managedObjects', createManagedObjects)
    host.routes(managedRoutes)
    host.command(applyCommand)
    host.command(exportCommand)
    host.extend('kernel.changes', (change, { managedObjects }) => managedObjects.admit(change))
  },
})
