// The language of the files, in a chunk of its own: its tables are a quarter of the editor, and a text can be read and written before it has colours.
export { cpp } from '@codemirror/lang-cpp';
