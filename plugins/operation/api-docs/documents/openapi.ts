import { type ApiTag, type Blueprint, type ErrorForm, kernelRoutes, type PlannedPlugin } from '#plugin-api'
import { manifest } from '../manifest.ts'
import { createComponents } from './components.ts'
import { createErrorResponses } from './error-responses.ts'
import { INTRODUCTION } from './introduction.ts'
import { type DocumentParts, describeOperation, toPathTemplate } from './operation.ts'

type Json = Record<string, unknown>

/** Describes every route as OpenAPI 3.1, from the declarations that also validate; WebSockets are in the AsyncAPI document. */
export function describeApi({ plugins, errors, version }: Blueprint): Json {
  const components = createComponents()
  const parts: DocumentParts = {
    components,
    errors: createErrorResponses(errors, components.schemas),
    keepsReplies: plugins.some(({ declarations }) =>
      declarations.extensions.some(({ point }) => point === 'kernel.repetition'),
    ),
    forms: plugins
      .flatMap(({ declarations }) => declarations.extensions)
      .flatMap(({ point, entry }) => (point === 'kernel.error_forms' ? [entry as ErrorForm] : [])),
    guards: new Map(plugins.flatMap(({ declarations }) => [...declarations.guards])),
  }
  const groups = [
    { tag: manifest.tag, routes: kernelRoutes },
    ...plugins
      .map(({ plugin, declarations }) => ({ tag: tagOf(plugin), routes: declarations.routes }))
      .filter(({ routes }) => routes.length > 0),
  ].sort((a, b) => a.tag.order - b.tag.order)
  const paths: Record<string, Json> = {}
  for (const { tag, routes } of groups)
    for (const route of routes) {
      const path = toPathTemplate(route.path)
      paths[path] ??= {}
      paths[path][route.method.toLowerCase()] = describeOperation(route, tag.name, parts)
    }
  // Of plugins that name the same tag, the last one describes it.
  const tags = new Map(groups.map(({ tag: { name, description } }) => [name, { name, description }]))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Platform Service',
      version,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this server' },
    },
    servers: [{ url: '/api', description: 'This server' }],
    tags: [...tags.values()],
    paths,
    components: {
      schemas: components.schemas,
      responses: parts.errors.responses,
      securitySchemes: { bearer: BEARER },
    },
  }
}

/** Returns the heading of a plugin's part of the documents. */
export const tagOf = ({ tag, name, summary }: PlannedPlugin['plugin']): ApiTag =>
  tag ?? { name, order: manifest.tag.order - 1, description: `${summary}.` }

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description: 'An access token or an API key, as `Authorization: Bearer <token>`.',
}
