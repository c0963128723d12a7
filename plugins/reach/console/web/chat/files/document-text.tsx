import { Fragment, memo } from 'react'
import classes from './document-pages.module.css'

/** A row of a table, as it is written in the text of a document: `Name: Ann | Place: Rome`. */
const ROW = /^[^|:]{1,200}: .* \| /
const HEAD = /^([^:]{1,200}:) (.*)$/s

/** The text of a page; each line runs in its own direction, and the heads in rows of tables recede. */
export const DocumentText = memo(function DocumentText({ text }: { text: string }) {
  return (
    <div className={classes.text}>
      {text.split('\n').map((line, index) =>
        ROW.test(line) ? (
          <p key={index} dir="auto" className={classes.row}>
            <Cells line={line} />
          </p>
        ) : (
          <p key={index} dir="auto">
            {line}
          </p>
        ),
      )}
    </div>
  )
})

function Cells({ line }: { line: string }) {
  return line.split(' | ').map((cell, index) => {
    const [, head, value = cell] = HEAD.exec(cell) ?? []
    return (
      <Fragment key={index}>
        {index > 0 && <span className={classes.head}> | </span>}
        {head !== undefined && <span className={classes.head}>{head} </span>}
        <bdi>{value}</bdi>
      </Fragment>
    )
  })
}
