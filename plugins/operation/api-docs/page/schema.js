import { h } from './dom.js'
import { renderInline } from './markdown.js'
import { say } from './words.js'

/** The deepest level of fields that is open from the start. */
const OPEN_LEVELS = 1
/** The longest pattern that says something to a reader. */
const MAX_PATTERN_CHARS = 40
const EXAMPLE_ID = '01KDVMF00000000000000000AG'
const EXAMPLE_SECONDS = 1_767_225_600

const isReadable = (pattern) => pattern && pattern !== '\\S' && pattern.length <= MAX_PATTERN_CHARS

/** Creates the functions that show schemas; `schemas` are the components by name. */
export function createSchemaView(schemas) {
  const nameOf = (schema) => schema?.$ref?.split('/').at(-1)
  const resolve = (schema) => (schema?.$ref ? schemas[nameOf(schema)] : schema) ?? {}
  const isFieldless = (schema) =>
    !resolve(schema).properties && !resolve(schema).oneOf && !resolve(schema).anyOf && !resolve(schema).items

  /** The alternatives of a schema besides null. */
  const membersOf = ({ oneOf, anyOf }) =>
    (oneOf ?? anyOf ?? []).filter((member) => resolve(member).type !== 'null')
  const isNullable = ({ oneOf, anyOf, type }) =>
    [type].flat().includes('null') || (oneOf ?? anyOf ?? []).some((member) => resolve(member).type === 'null')

  /** The schema itself for one of which null is the only alternative. */
  const unwrap = (schema) => {
    const found = resolve(schema)
    const members = found.properties ? [] : membersOf(found)
    return members.length === 1
      ? {
          ...found,
          anyOf: undefined,
          oneOf: undefined,
          ...resolve(members[0]),
          isNull: isNullable(found),
          name: nameOf(members[0]),
        }
      : { ...found, isNull: isNullable(found), name: nameOf(schema) }
  }

  /** Names the type of a schema; components are links. */
  function renderType(schema) {
    const found = unwrap(schema)
    const { type, items, name, enum: values, isNull } = found
    const types = [type].flat().filter((one) => one && one !== 'null')
    let words
    if (types[0] === 'array' && items) words = [say('arrayOf'), ' ', ...renderType(items)]
    else if (name && !values && !isFieldless(found)) words = [h('a', { href: `#schema-${name}` }, name)]
    else if ('const' in found && types.length === 0) words = [typeof found.const]
    else words = [types.join(' | ') || (membersOf(found).length > 0 ? say('members') : say('any'))]
    return isNull ? [...words, ' ', say('nullable')] : words
  }

  /** Lists the bounds of a value in words. */
  function renderBounds(found) {
    const {
      enum: values,
      default: usual,
      minimum,
      maximum,
      minLength,
      maxLength,
      minItems,
      maxItems,
      pattern,
      format,
      examples,
    } = found
    const code = (value) => h('code', {}, typeof value === 'string' ? value : JSON.stringify(value))
    const range = (least, most, unit) => {
      if (least === undefined && most === undefined) return undefined
      if (least === undefined) return [`${say('atMost')} ${most} ${unit}`]
      if (most === undefined) return [`${say('atLeast')} ${least} ${unit}`]
      return [`${least} – ${most} ${unit}`]
    }
    const lines = [
      values && [say('oneOf'), ' ', ...values.flatMap((value) => [code(value), ' '])],
      'const' in found && [say('constant'), ' ', code(found.const)],
      usual !== undefined && [say('default'), ' ', code(usual)],
      range(minimum, maximum, ''),
      range(minLength || undefined, maxLength, say('length')),
      range(minItems || undefined, maxItems, say('rows')),
      format && [say('format'), ' ', code(format)],
      isReadable(pattern) && [say('pattern'), ' ', code(pattern)],
      !values &&
        examples?.length > 0 &&
        typeof examples[0] !== 'object' && [say('example'), ' ', code(examples[0])],
    ].filter(Boolean)
    return (
      lines.length > 0 &&
      h(
        'p',
        { class: 'bounds' },
        lines.map((line) => h('span', {}, line)),
      )
    )
  }

  /** Marks what a request must have, and what a reply may lack. */
  const renderPresence = (isRequired, isReply) => {
    if (isReply) return !isRequired && h('span', { class: 'muted small' }, say('optional'))
    return isRequired && h('span', { class: 'required' }, say('required'))
  }

  /** Shows one field with its type, bounds and, folded, its own fields. */
  function renderField({ name, schema, description, isRequired }, level, isReply) {
    const found = unwrap(schema)
    const bounded =
      found.type === 'array' && found.items
        ? {
            ...unwrap(found.items),
            minItems: found.minItems,
            maxItems: found.maxItems,
            default: found.default,
          }
        : found
    const words = description ?? schema.description ?? found.description
    return h(
      'li',
      { class: 'field' },
      h(
        'div',
        { class: 'field-head' },
        h('code', { class: 'name' }, name),
        h('span', { class: 'type' }, renderType(schema)),
        renderPresence(isRequired, isReply),
      ),
      words && h('p', { lang: 'en' }, renderInline(words)),
      renderBounds(bounded),
      renderNested(schema, level, isReply),
    )
  }

  /** The fields within a field, made when they are first opened: components may contain themselves. */
  function renderNested(schema, level, isReply) {
    const found = unwrap(schema)
    const inner = found.type === 'array' && found.items ? found.items : schema
    const target = unwrap(inner)
    if (
      !target.properties &&
      membersOf(target).length === 0 &&
      !(target.additionalProperties?.type === 'object')
    )
      return undefined
    const title = target.properties ? say('fields') : say('members')
    const details = h(
      'details',
      { class: 'nested' },
      h('summary', {}, target.name ? [title, ' ', h('span', { class: 'type' }, target.name)] : title),
    )
    const fill = () => {
      if (details.childElementCount === 1) details.append(...renderSchema(inner, level + 1, isReply))
    }
    details.addEventListener('toggle', () => details.open && fill())
    if (level < OPEN_LEVELS && !target.name && target.properties) {
      details.open = true
      fill()
    }
    return details
  }

  /** Shows a schema: the fields of an object, the members of a union, or the bounds of a value. */
  function renderSchema(schema, level = 0, isReply = false) {
    const found = unwrap(schema)
    if (found.type === 'array' && found.items)
      return [
        level === 0 && h('p', { class: 'type' }, renderType(schema)),
        ...renderSchema(found.items, level, isReply),
      ].filter(Boolean)
    const { properties, required = [], additionalProperties } = found
    const members = membersOf(found).filter((member) => resolve(member).properties || resolve(member).type)
    const nodes = []
    if (properties) {
      const fields = Object.entries(properties).map(([name, property]) => ({
        name,
        schema: property,
        isRequired: required.includes(name),
      }))
      nodes.push(
        h(
          'ul',
          { class: 'fields' },
          fields.map((field) => renderField(field, level, isReply)),
        ),
      )
    }
    if (members.length > 0)
      nodes.push(
        h(
          'ul',
          { class: 'fields' },
          members.map((member) => renderMember(member, level, isReply)),
        ),
      )
    if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0)
      nodes.push(
        h(
          'ul',
          { class: 'fields' },
          renderField({ name: '…', schema: additionalProperties, isRequired: true }, level, true),
        ),
      )
    else if (additionalProperties === true) nodes.push(h('p', { class: 'muted' }, say('anyFields')))
    if (nodes.length === 0)
      nodes.push(h('p', { class: 'type' }, renderType(schema)), renderBounds(found) || '')
    return nodes
  }

  function renderMember(member, level, isReply) {
    const found = unwrap(member)
    const sign = Object.values(found.properties ?? {}).find((property) => 'const' in property)?.const
    return h(
      'li',
      { class: 'field' },
      h(
        'div',
        { class: 'field-head' },
        h('code', { class: 'name' }, String(sign ?? found.title ?? found.name ?? found.type)),
        h('span', { class: 'type' }, found.name && h('a', { href: `#schema-${found.name}` }, found.name)),
      ),
      found.description && h('p', { lang: 'en' }, renderInline(found.description)),
      renderNested(member, level, isReply),
    )
  }

  /** Shows the parameters of one place. */
  const renderParameters = (parameters) =>
    h(
      'ul',
      { class: 'fields' },
      parameters.map(({ name, schema, description, required }) =>
        renderField({ name, schema, description, isRequired: required }, 0),
      ),
    )

  /** Makes a value for a schema that has no example in the document. */
  function exampleOf(schema, depth = 0, name = '') {
    const found = unwrap(schema)
    if (found.examples) return found.examples[0]
    if ('const' in found) return found.const
    if (found.default !== undefined) return found.default
    if (found.enum) return found.enum[0]
    const [type] = [found.type].flat().filter((one) => one !== 'null')
    if (depth > 4) return null
    if (type === 'array') return found.items ? [exampleOf(found.items, depth + 1, name)] : []
    const [member] = membersOf(found)
    if (member && !found.properties) return exampleOf(member, depth + 1, name)
    if (found.properties)
      return Object.fromEntries(
        Object.entries(found.properties).map(([key, property]) => [key, exampleOf(property, depth + 1, key)]),
      )
    if (type === 'string' && /^(.*_)?id$/.test(name)) return EXAMPLE_ID
    if (type === 'integer' && name.endsWith('_at')) return EXAMPLE_SECONDS
    return { string: 'text', integer: 1, number: 1, boolean: true, null: null }[type] ?? {}
  }

  return { resolve, unwrap, renderType, renderSchema, renderParameters, exampleOf }
}
