// The pages begin here, once their words are there.
import { mount } from 'svelte';
import App from './App.svelte';
import { settings } from './lib/settings.svelte';
import { tables } from './strings/tables.svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/prose.css';

await tables.show(settings.lang);
mount(App, { target: document.getElementById('app') as HTMLElement });
