import { useEffect, useState } from 'react'
import { saveBlob } from '../../agents/files.ts'
import { t } from '../../i18n/words.ts'
import { ChartColumn, CodeXml, Download } from '../../ui/icons.ts'
import { EnlargeButton } from '../files/enlarge-button.tsx'
import { BlockAction, BlockFrame } from './block-frame.tsx'
import { CodeBlock } from './code-block.tsx'
import classes from './diagram.module.css'
import type { Diagram as Drawing } from './draw-diagram.ts'

let drawer: typeof import('./draw-diagram.ts') | undefined

/** A diagram of Mermaid, drawn as a picture; its code before that, when it cannot be drawn, and when somebody asks for it. */
export function Diagram({ code }: { code: string }) {
  const { drawing, isFailed } = useDrawing(code)
  const [isCode, setCode] = useState(false)
  if (!drawing || isCode)
    return (
      <CodeBlock
        code={code}
        language="mermaid"
        note={isFailed ? t('answers.diagram_failed') : undefined}
        actions={
          drawing && (
            <BlockAction
              label={t('answers.show_diagram')}
              icon={ChartColumn}
              onClick={() => setCode(false)}
            />
          )
        }
      />
    )
  const download = () =>
    saveBlob(new Blob([drawing.svg], { type: 'image/svg+xml' }), `${t('answers.diagram_file')}.svg`)
  return (
    <BlockFrame
      name={t('answers.diagram')}
      actions={
        <>
          <BlockAction label={t('answers.show_code')} icon={CodeXml} onClick={() => setCode(true)} />
          <BlockAction label={t('answers.download_svg')} icon={Download} onClick={download} />
        </>
      }
    >
      <DiagramPicture drawing={drawing} />
    </BlockFrame>
  )
}

/** A drawing in the width of its answer; a click shows it in full size. As a picture it runs and loads nothing. */
function DiagramPicture({ drawing: { svg, width, height, title } }: { drawing: Drawing }) {
  const name = title ?? t('answers.diagram')
  const picture = (
    <img
      src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
      width={Math.ceil(width)}
      height={Math.ceil(height)}
      alt={name}
    />
  )
  return (
    <EnlargeButton
      className={classes.picture}
      name={name}
      enlarged={<div className={classes.full}>{picture}</div>}
    >
      {picture}
    </EnlargeButton>
  )
}

/** Draws a diagram, with code that is loaded for the first one. */
function useDrawing(code: string): { drawing?: Drawing | undefined; isFailed: boolean } {
  const [result, setResult] = useState<{ code: string; drawing?: Drawing }>()
  useEffect(() => {
    let isLeft = false
    const draw = async () => {
      drawer ??= await import('./draw-diagram.ts')
      return drawer.drawDiagram(code)
    }
    draw().then(
      (drawing) => !isLeft && setResult({ code, drawing }),
      // The code is shown instead, whatever is wrong with it.
      () => !isLeft && setResult({ code }),
    )
    return () => {
      isLeft = true
    }
  }, [code])
  const isDone = result?.code === code
  return {
    drawing: (isDone ? result.drawing : undefined) ?? drawer?.findDrawing(code),
    isFailed: isDone && !result.drawing,
  }
}
