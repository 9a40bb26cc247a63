"""Adapters of the encoder: what a weights file holds, and the mean of two trainings."""

import torch

from sage_rag.privacy.entities import TAGGED
from sage_rag.privacy.recognizers.tagging.weights_file import Calibration
from sage_rag.training.adapters import average_with, changes, load_changes
from sage_rag.training.recognition.network import untrained_network, write_weights

CALIBRATION = [Calibration(1.0, 0.0, 0.5)] * len(TAGGED)


def trained(by: float):
    """A network after a training that added `by` to every trained parameter."""
    torch.manual_seed(0)
    network = untrained_network()
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.requires_grad:
                parameter.add_(by)
    return network


def test_the_mean_of_two_trainings_lies_between_them(tmp_path):
    start, later = trained(0.0), trained(0.5)
    path = tmp_path / "earlier.safetensors"
    write_weights(start, CALIBRATION, path, {})
    average_with(later, path)
    expected = trained(0.25)
    for name, tensor in changes(later).items():
        assert torch.allclose(tensor.float(), changes(expected)[name].float(), atol=2e-3), name


def test_the_frozen_encoder_is_not_averaged(tmp_path):
    network = trained(0.5)
    path = tmp_path / "earlier.safetensors"
    write_weights(trained(0.0), CALIBRATION, path, {})
    frozen = {n: p.clone() for n, p in network.named_parameters() if not p.requires_grad}
    average_with(network, path)
    assert frozen
    assert all(torch.equal(frozen[n], p) for n, p in network.named_parameters() if n in frozen)


def test_written_changes_load_again(tmp_path):
    path = tmp_path / "one.safetensors"
    write_weights(trained(0.5), CALIBRATION, path, {})
    loaded = trained(0.0)
    load_changes(loaded, path)
    for name, tensor in changes(trained(0.5)).items():
        assert torch.equal(tensor, changes(loaded)[name]), name
