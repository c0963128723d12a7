import { Alert, Button, FileButton, Menu, Progress, Text } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { formatAge, formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { FileText, Globe, Link as LinkIcon, Upload } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Section } from '../ui/section.tsx'
import { State } from '../ui/state.tsx'
import { useAction } from '../ui/use-action.ts'
import { AddressSheet } from './address-sheet.tsx'
import classes from './documents.module.css'
import {
  addFile,
  type DocumentPlace,
  deleteDocument,
  downloadDocument,
  type KnowledgeBase,
  type KnowledgeDocument,
  reindexDocument,
} from './knowledge.ts'
import { RefetchSheet } from './refetch-sheet.tsx'
import { useDocuments } from './use-documents.ts'

const TONES = {
  queued: 'off',
  parsing: 'changing',
  indexing: 'changing',
  ready: 'on',
  failed: 'failed',
} as const

interface Props {
  base: KnowledgeBase
  canChange: boolean
  onOpen(documentPlace: DocumentPlace): void
}

/** The documents of a knowledge base with how far they were read. Files are added by a click or a drop. */
export function Documents({ base: { id }, canChange, onOpen }: Props) {
  const documents = useDocuments(id)
  const [isAdding, setAdding] = useState(false)
  const [chosenDocument, setChosenDocument] = useState<KnowledgeDocument>()
  const [isOver, setOver] = useState(false)
  const [refused, setRefused] = useState<string[]>([])
  const uploading = useAction()
  const { error, run } = useAction()

  const upload = (files: File[]) =>
    uploading.run(async () => {
      setRefused([])
      // One by one, so that a file that cannot be read keeps no other one out.
      for (const file of files)
        await addFile(id, file).catch((reason) => {
          setRefused((others) => [...others, `${file.name}: ${readFailure(reason).message}`])
        })
      await documents.refetch()
    })
  const drop = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault()
      setOver(event.dataTransfer.types.includes('Files'))
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      void upload([...event.dataTransfer.files])
    },
  }
  const attempt = (work: Promise<unknown>) => run(() => work.finally(documents.refetch))
  const actions = canChange && (
    <>
      <Button
        variant="default"
        leftSection={<LinkIcon size={14} aria-hidden />}
        onClick={() => setAdding(true)}
      >
        {t('knowledge.add_address')}
      </Button>
      <FileButton multiple onChange={(files) => void upload(files)}>
        {(props) => (
          <Button {...props} loading={uploading.isBusy} leftSection={<Upload size={14} aria-hidden />}>
            {t('knowledge.upload')}
          </Button>
        )}
      </FileButton>
    </>
  )
  return (
    <Section title={t('knowledge.documents')} about={canChange && t('knowledge.drop')} actions={actions}>
      {error !== undefined && <Failure error={error} />}
      {refused.length > 0 && (
        <Alert
          color="red"
          variant="light"
          role="alert"
          title={t('knowledge.refused', { count: refused.length })}
          withCloseButton
          closeButtonLabel={t('common.close')}
          onClose={() => setRefused([])}
        >
          {refused.map((reason) => (
            <div key={reason}>{reason}</div>
          ))}
        </Alert>
      )}
      <div className={classes.drop} data-over={isOver || undefined} {...(canChange && drop)}>
        <List
          {...documents}
          label={t('knowledge.documents')}
          keyOf={({ id }) => id}
          textOf={({ path, url }) => `${path} ${url ?? ''}`}
          empty={
            <Empty title={t('knowledge.no_documents')}>
              {t(canChange ? 'knowledge.no_documents_about' : 'knowledge.no_documents_guest')}
            </Empty>
          }
        >
          {(document) => {
            const { path, filename, status, chunks, error, refetch_error } = document
            const open = () => onOpen({ base_id: id, document_id: document.id, filename })
            return (
              <ListRow
                icon={document.url ? <Globe size={18} aria-hidden /> : <FileText size={18} aria-hidden />}
                title={path}
                meta={
                  <>
                    {describeDocument(document)}
                    {error && <div>{error.message}</div>}
                    {refetch_error && (
                      <div>{t('knowledge.refetch_failed', { reason: refetch_error.message })}</div>
                    )}
                  </>
                }
                onOpen={chunks > 0 ? open : undefined}
              >
                <DocumentState document={document} />
                <RowMenu
                  name={path}
                  deletion={
                    canChange && {
                      about: t('knowledge.delete_document_about'),
                      run: () => deleteDocument(id, document).finally(documents.refetch),
                    }
                  }
                >
                  {status !== 'queued' && (
                    <Menu.Item onClick={() => run(() => downloadDocument(id, document))}>
                      {t('knowledge.download')}
                    </Menu.Item>
                  )}
                  {canChange && document.url && (
                    <Menu.Item onClick={() => setChosenDocument(document)}>
                      {t('knowledge.refetch_plan')}
                    </Menu.Item>
                  )}
                  {canChange && (
                    <Menu.Item onClick={() => attempt(reindexDocument(id, document))}>
                      {t('knowledge.reindex')}
                    </Menu.Item>
                  )}
                </RowMenu>
              </ListRow>
            )
          }}
        </List>
      </div>
      {chosenDocument && (
        <RefetchSheet
          base_id={id}
          document={chosenDocument}
          onSaved={documents.refetch}
          onClose={() => setChosenDocument(undefined)}
        />
      )}
      {isAdding && <AddressSheet base_id={id} onClose={() => setAdding(false)} />}
    </Section>
  )
}

/** The state of a document in words, and its progress while it is worked on. */
function DocumentState({ document: { status, progress, path } }: { document: KnowledgeDocument }) {
  const isWorking = TONES[status] === 'changing'
  return (
    <>
      {isWorking && (
        <Progress w={72} size="sm" value={progress * 100} aria-label={t('knowledge.progress', { path })} />
      )}
      <State tone={TONES[status]}>{t(`knowledge.document_${status}`)}</State>
    </>
  )
}

const describeDocument = ({ size, pages, chunks, fetched_at }: KnowledgeDocument) => (
  <Text size="xs" component="div">
    {[
      size > 0 && formatBytes(size),
      pages && t('knowledge.pages', { count: pages }),
      chunks > 0 && t('knowledge.passages', { count: chunks }),
      fetched_at && t('knowledge.fetched', { age: formatAge(fetched_at) }),
    ]
      .filter(Boolean)
      .join(' · ')}
  </Text>
)
