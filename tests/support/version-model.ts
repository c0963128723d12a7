import type { TestFrame } from './socket.ts'

/** A message in a tree of versions; `order` is that of its creation in the whole test. */
export interface Node {
  id: string
  role: 'user' | 'assistant' | 'tool'
  text: string
  parent: Node | null
  order: number
}

/** A shown message; `versions` are oldest first, if it has several. */
export interface ExpectedMessage {
  id: string
  role: string
  text: string
  versions?: string[]
}

let created = 0

/** Describes what a thread must show: a tree of messages, of which the path to one is shown. */
export class VersionModel {
  readonly nodes: Node[]
  private leaf: Node | null

  constructor(path: readonly Node[] = []) {
    this.nodes = []
    this.leaf = null
    for (const { id, role, text, order } of path) {
      this.leaf = { id, role, text, order, parent: this.leaf }
      this.nodes.push(this.leaf)
    }
  }

  /** Lists the shown messages, oldest first. */
  get path(): Node[] {
    return pathTo(this.leaf)
  }

  /** Adds the messages that a turn has shown in its frames behind `parent`, and shows them. */
  add(parent: Node | null, frames: readonly TestFrame[], question: string): void {
    this.leaf = parent
    const added = new Map<string, Node>()
    const open = (id: string, role: Node['role']) => {
      const node = added.get(id) ?? { id, role, text: '', parent: this.leaf, order: created }
      if (!added.has(id)) {
        created += 1
        added.set(id, node)
        this.nodes.push(node)
        this.leaf = node
      }
      return node
    }
    for (const { type, message_id, after_message_id, content } of frames) {
      if (type === 'turn_started' && message_id !== after_message_id) open(message_id, 'user').text = question
      if (type === 'content') open(message_id, 'assistant').text += content
      if (type === 'tool_call') open(message_id, 'assistant')
      if (type === 'tool_result') open(message_id, 'tool')
      if ((type === 'done' || type === 'error') && message_id) open(message_id, 'assistant')
    }
  }

  /** Shows the path through a message to the newest one behind it. */
  choose(node: Node): void {
    const behind = this.nodes.filter((other) => pathTo(other).includes(node))
    this.leaf = behind.reduce((newest, other) => (other.order > newest.order ? other : newest))
  }

  /** Lists what the thread must show. */
  shown(): ExpectedMessage[] {
    return this.path.map(({ id, role, text, parent }) => {
      const isVersioned = role === 'user' || (role === 'assistant' && parent?.role === 'user')
      const versions = this.nodes
        .filter((other) => isVersioned && other.role === role && other.parent === parent)
        .sort((a, b) => a.order - b.order)
      return { id, role, text, ...(versions.length > 1 && { versions: versions.map((other) => other.id) }) }
    })
  }
}

function pathTo(node: Node | null): Node[] {
  const path: Node[] = []
  for (let next = node; next; next = next.parent) path.unshift(next)
  return path
}
