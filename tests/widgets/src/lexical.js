import { registerRichText } from '@lexical/rich-text'
import { $createParagraphNode, $createTextNode, $getRoot, createEditor } from 'lexical'

window.place.contentEditable = true
const editor = createEditor({ namespace: 'letter', onError: (error) => console.error(error) })
editor.setRootElement(window.place)
registerRichText(editor)
editor.update(() => {
  const lines = window.old.split('\n').map((line) => $createParagraphNode().append($createTextNode(line)))
  $getRoot().append(...lines)
})
window.held = () => editor.getEditorState().read(() => $getRoot().getTextContent())
