/** Imports data sets: a thin comlink service over the importers and the store. */
import { expose } from 'comlink';
import './border';
import { createDatasetService } from './dataset-service';

expose(createDatasetService());
