import { Button } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { Failure } from '../ui/failure.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useAction } from '../ui/use-action.ts'
import DocumentText from './document-text.tsx'
import { type DocumentPlace, downloadDocument } from './knowledge.ts'

/** Shows the text of a document. */
export function DocumentSheet({ documentPlace, onClose }: { documentPlace: DocumentPlace; onClose(): void }) {
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
