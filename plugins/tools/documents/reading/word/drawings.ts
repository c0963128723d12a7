import type { Archive } from '../archive.ts'
import type { Block } from '../blocks.ts'
import { readChart } from '../charts.ts'
import { readDiagram } from '../diagrams.ts'
import type { Relation } from '../xml.ts'

/** The charts and diagrams of a document, until each has been taken once. */
export type Drawings = ReturnType<typeof createDrawings>

/** Creates the readers of charts and diagrams, which a text names by the ids of their relations. */
export function createDrawings(archive: Archive, relations: readonly Relation[]) {
  const targets = new Map(relations.map(({ id, target }) => [id, target]))
  const drawings = relations.filter(({ type }) => type === 'diagramDrawing').map(({ target }) => target)
  const shown = new Set<string>()

  /** Returns the file of a drawing the first time that it is shown. */
  const takeFile = (id = ''): string | undefined => {
    const file = targets.get(id)
    if (file === undefined || shown.has(file)) return undefined
    shown.add(file)
    return file
  }

  return {
    takeChart(id: string | undefined): Block[] {
      const file = takeFile(id)
      return file === undefined ? [] : readChart(archive, file)
    },

    takeDiagram(id: string | undefined): Block[] {
      const model = takeFile(id)
      // The shapes of a diagram have a relation of their own, in the same order.
      return model === undefined ? [] : readDiagram(archive, { model, drawing: drawings.shift() })
    },
  }
}
