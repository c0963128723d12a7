import type { ExtensionPoint } from '../contract/extensions.ts'
import { compileFor } from '../contract/form.ts'
import type { Declarations } from '../contract/host.ts'
import type { FrameSchemas } from '../contract/socket.ts'
import { compileSchema } from '../schema.ts'

/** Compiles the schemas that a plugin from outside declares and checks what it extends; tests do that for what is built in. */
export function checkForeign(
  { routes, sockets, extensions }: Declarations,
  points: ReadonlyMap<string, ExtensionPoint>,
): void {
  for (const { method, path, query, body, response } of routes)
    compileFor(`route ${method} ${path}`, () => {
      if (query) compileSchema(query, 'text')
      if (body) compileSchema(body, 'json')
      for (const schema of Object.values(response)) if (schema) compileSchema(schema, 'reply')
    })
  for (const { path, receive, send } of sockets)
    compileFor(`socket ${path}`, () => {
      for (const schema of schemasIn(receive, send)) compileSchema(schema, 'json')
    })
  for (const { point, entry } of extensions) points.get(point)?.check?.(entry)
}

const schemasIn = (...directions: FrameSchemas[]) =>
  directions.flatMap((direction) => Object.values(direction))
