import { memo, useEffect, useState } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import classes from './code-block.module.css'
import { type CodeLine, highlight } from './highlight.ts'

interface Props {
  code: string
  language: string
}

/** The time without change after which code is coloured. */
const QUIET_MS = 120

/** Code of a model: its language, a button that copies it, and colours once they were computed. */
export const CodeBlock = memo(function CodeBlock({ code, language }: Props) {
  const [coloured, setColoured] = useState<{ code: string; lines: CodeLine[] }>()
  useEffect(() => {
    let isLeft = false
    const timer = setTimeout(async () => {
      const lines = await highlight(code, language)
      if (!isLeft && lines) setColoured({ code, lines })
    }, QUIET_MS)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [code, language])

  // While code is being written, the lines that were coloured stay so.
  const lines = coloured && code.startsWith(coloured.code) ? coloured.lines : []
  const uncoloured = lines.length > 0 ? code.slice(coloured!.code.length) : code
  return (
    <figure className={classes.block} data-plain={language === ''}>
      <figcaption className={classes.head}>
        {language && <span>{language}</span>}
        <CopyButton text={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keys. */}
      <pre className={classes.code} tabIndex={0}>
        <code>
          {lines.map((tokens, index) => (
            <span key={index}>
              {tokens.map(({ text, light, dark }, index) => (
                <span key={index} style={light ? { color: `light-dark(${light}, ${dark})` } : undefined}>
                  {text}
                </span>
              ))}
              {index < lines.length - 1 && '\n'}
            </span>
          ))}
          {uncoloured}
        </code>
      </pre>
    </figure>
  )
})
