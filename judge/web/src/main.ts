// The pages begin here.
import { mount } from 'svelte';
import App from './App.svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/prose.css';

mount(App, { target: document.getElementById('app') as HTMLElement });
