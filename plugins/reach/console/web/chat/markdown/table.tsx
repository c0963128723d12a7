import type { Element } from 'hast'
import type { ReactNode } from 'react'
import { saveBlob } from '../../agents/files.ts'
import { t } from '../../i18n/words.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Download } from '../../ui/icons.ts'
import frameClasses from './block-frame.module.css'
import { BlockAction, BlockFrame } from './block-frame.tsx'
import { toCsv, toCsvFile } from './csv.ts'
import { readContent } from './read-content.ts'
import classes from './table.module.css'

interface Props {
  node: Element | undefined
  dir: string | undefined
  children: ReactNode
}

/** A table of a model, which is scrolled in its frame, and can be taken along as CSV. */
export function Table({ node, dir, children }: Props) {
  const rows = node ? listRows(node) : []
  const download = () => saveBlob(toCsvFile(rows), `${t('answers.table_file')}.csv`)
  return (
    <BlockFrame
      name={t('answers.rows', { count: Math.max(rows.length - 1, 0) })}
      actions={
        <>
          <BlockAction label={t('answers.download_csv')} icon={Download} onClick={download} />
          <CopyButton text={toCsv(rows)} label={t('answers.copy_csv')} />
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys. */}
      <div className={`${frameClasses.scroller} ${classes.scroller}`} dir={dir} tabIndex={0}>
        <table>{children}</table>
      </div>
    </BlockFrame>
  )
}

/** The texts of the cells of a table, by rows. */
function listRows(element: Element): string[][] {
  return element.children.flatMap((child) => {
    if (child.type !== 'element') return []
    if (child.tagName !== 'tr') return listRows(child)
    return [child.children.flatMap((cell) => (cell.type === 'element' ? [readContent(cell).trim()] : []))]
  })
}
