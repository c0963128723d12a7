import { Alert, Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { may, useAccount } from '../session/account.ts'
import { ShareButton } from '../sharing/share-button.tsx'
import { describeSharing } from '../sharing/shared-sign.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { isGone } from '../ui/gone.tsx'
import { Pencil, RefreshCw, Trash2 } from '../ui/icons.ts'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/pending.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useAction } from '../ui/use-action.ts'
import { BaseSheet } from './base-sheet.tsx'
import DocumentText from './document-text.tsx'
import { Documents } from './documents.tsx'
import { type DocumentPlace, downloadDocument, readBase } from './knowledge.ts'
import { describeBase } from './knowledge-page.tsx'
import { TrySearch } from './try-search.tsx'

/** A knowledge base: its documents, and a search to try. */
export default function BasePage() {
  const { base: id } = useParams({ from: '/knowledge/$base' })
  const account = useAccount()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const [documentPlace, setPlace] = useState<DocumentPlace>()
  const { isBusy, error, run } = useAction()
  const loadedBase = useQuery({
    queryKey: ['get', '/knowledge-bases/{id}', id, 'tagged'],
    queryFn: () => readBase(id),
    staleTime: 0,
  })
  if (!loadedBase.data || isGone(loadedBase.error))
    return (
      <Page title={t('frame.knowledge')}>
        <Pending {...loadedBase} height={160} />
      </Page>
    )
  const { data: base, tag } = loadedBase.data
  const canChange = base.can_edit && may(account, 'knowledge_bases')
  const params = { path: { id } }
  const close = () => setOpen(undefined)
  const remove = async () => {
    await send<unknown>(client.DELETE('/knowledge-bases/{id}', { params }))
    await navigate({ to: '/knowledge' })
  }
  const reindex = () =>
    run(async () => {
      await send(client.POST('/knowledge-bases/{id}/reindex', { params }))
      await refresh('/knowledge-bases')
    })
  return (
    <Page
      title={base.name}
      about={
        <>
          {base.description && <span>{base.description}</span>}
          <span style={{ display: 'block' }}>
            {[describeBase(base), describeSharing(base)].filter(Boolean).join(' · ')}
          </span>
        </>
      }
      actions={
        <>
          <ShareButton thing={{ kind: 'knowledge_base', ...base }} canEdit={base.can_edit} />
          {canChange && (
            <Button variant="default" leftSection={<Pencil size={14} />} onClick={() => setOpen('edit')}>
              {t('common.edit')}
            </Button>
          )}
        </>
      }
    >
      {error !== undefined && <Failure error={error} />}
      {base.is_rebuilding && (
        <Alert color="indigo" variant="light">
          {t('knowledge.index_lost', { searchable: base.searchable, documents: base.documents })}
        </Alert>
      )}
      <Documents base={base} canChange={canChange} onOpen={setPlace} />
      {(base.chunks > 0 || base.is_rebuilding) && <TrySearch base_id={id} onOpen={setPlace} />}
      {canChange && (
        <Group gap="sm">
          {base.documents > 0 && (
            <Button
              variant="subtle"
              color="gray"
              loading={isBusy}
              leftSection={<RefreshCw size={14} />}
              onClick={reindex}
            >
              {t('knowledge.reindex_all')}
            </Button>
          )}
          {base.is_owner && (
            <Button
              variant="subtle"
              c="var(--danger)"
              leftSection={<Trash2 size={14} />}
              onClick={() => setOpen('delete')}
            >
              {t('knowledge.delete')}
            </Button>
          )}
        </Group>
      )}
      {open === 'edit' && <BaseSheet stored={{ base, tag }} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={t('models.delete_title', { name: base.name })}
          action={t('common.delete')}
          name={base.documents > 0 ? base.name : undefined}
          onConfirm={remove}
          onClose={close}
        >
          {t('knowledge.delete_about')}
        </Confirm>
      )}
      {documentPlace && <DocumentSheet documentPlace={documentPlace} onClose={() => setPlace(undefined)} />}
    </Page>
  )
}

/** Shows the text of a document. */
function DocumentSheet({ documentPlace, onClose }: { documentPlace: DocumentPlace; onClose(): void }) {
  const { base_id, document_id: id, filename } = documentPlace
  const { isBusy, error, run } = useAction()
  return (
    <Sheet
      title={filename}
      width={760}
      onClose={onClose}
      aside={
        <Button
          variant="default"
          loading={isBusy}
          onClick={() => run(() => downloadDocument(base_id, { id, filename }))}
        >
          {t('knowledge.download')}
        </Button>
      }
    >
      {error !== undefined && <Failure error={error} />}
      <DocumentText documentPlace={documentPlace} />
    </Sheet>
  )
}
